const { Plans } = require("../data/plans");

module.exports = function Savings(db) {
  const plans = new Plans(db);

  this.show = (req, res, next) => {
    plans.above(req.session.userId, req.query.least, (error, found) => (error ? next(error) : res.json(found)));
  };
};
