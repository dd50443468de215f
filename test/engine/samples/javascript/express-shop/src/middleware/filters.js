/** Keeps what every list is filtered by. */
exports.collectFilters = (req, res, next) => {
  req.filters = { status: req.query.status, limit: Number(req.query.limit) };
  req.requestId = Date.now();
  next();
};
