const passport = require('passport');

exports.authenticate = () => (req, res, next) => {
  passport.authenticate('session', { session: false })(req, res, next);
};
