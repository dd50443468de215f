exports.loggedIn = (req, res, next) => {
  if (!req.session.user) return res.redirect("/login");
  next();
};

exports.forDoctors = (req, res, next) => {
  if (req.session.user.role !== "doctor") return res.sendStatus(403);
  next();
};
