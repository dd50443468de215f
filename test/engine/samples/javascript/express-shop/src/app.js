const express = require("express");
const cookieParser = require("cookie-parser");
const orders = require("./routes/orders");
const files = require("./routes/files");
const pages = require("./routes/pages");
const { collectFilters } = require("./middleware/filters");

const app = express();
app.use(express.json());
app.use(cookieParser());
app.use(collectFilters);
app.use("/orders", orders);
app.use("/files", files);
app.use("/pages", pages);
app.listen(3000);
