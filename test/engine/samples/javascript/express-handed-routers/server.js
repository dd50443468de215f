const express = require('express');
const routes = require('./routes');
const sessions = require('./sessions');
const CrateRoutes = require('./routes/crates');
const PalletRoutes = require('./routes/pallets');

const app = express();
const crates = new CrateRoutes();
routes(app);
app.use('/pallets', new PalletRoutes().router);
app.use('/crates', sessions.authenticate());
app.use('/crates', crates.router);
app.listen(3000);
