const { Users } = require("../data/users");

function SessionHandler(db) {
  const users = new Users(db);

  this.isLoggedIn = (req, res, next) => (req.session.userId ? next() : res.redirect("/login"));

  this.logIn = (req, res, next) => {
    const { name, password } = req.body;
    users.matching(name, password, (error, user) => {
      if (error) return next(error);
      // vuln: session_fixation
      req.session.userId = user._id;
      res.redirect("/savings");
    });
  };
}

module.exports = { SessionHandler };
