function Plans(db) {
  const plans = db.collection("plans");

  this.above = (userId, least, done) => {
    const owner = parseInt(userId, 10);
    const criteria = () => {
      /*
      // Safe: a number is no program.
      return { $where: `this.owner == ${owner} && this.sum > ${parseInt(least, 10)}` };
      */
      if (!least) return { owner };
      // vuln: nosql_script
      return { $where: `this.owner == ${owner} && this.sum > ${least}` };
    };
    plans.find(criteria()).toArray(done);
  };
}

module.exports = { Plans };
