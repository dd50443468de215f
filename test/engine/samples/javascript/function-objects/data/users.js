const Users = function (db) {
  const users = db.collection("users");
  const self = this;

  this.byName = (name, done) => {
    // vuln: nosql_injection
    users.findOne({ name }, done);
  };

  self.matching = (name, password, done) => {
    // safe: nosql_injection
    users.findOne({ name: String(name) }, (error, user) => done(error, user));
    this.byName(name, done);
  };
};

module.exports.Users = Users;
