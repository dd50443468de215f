const jwt = require('jsonwebtoken');
exports.isAdmin = (req, res, next) => {
  // vuln: jwt_unverified
  const claims = jwt.decode(req.headers.authorization.split(' ')[1]);
  if (claims.role !== 'admin') return res.sendStatus(403);
  next();
};
