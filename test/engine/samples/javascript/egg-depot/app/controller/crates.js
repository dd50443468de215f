const { Controller } = require("egg");

class CratesController extends Controller {
  async index() {
    const { ctx } = this;
    ctx.body = await ctx.service.crates.inDepot(ctx.query.depot);
  }

  async show() {
    const { ctx, app } = this;
    // vuln: sql_injection
    const rows = await app.mysql.query(`SELECT * FROM crate WHERE label = '${ctx.params.label}'`);
    ctx.body = rows[0];
  }

  async one() {
    // safe: sql_injection
    this.ctx.body = await this.app.mysql.get("crate", { id: this.ctx.params.id });
  }

  async leave() {
    // vuln: open_redirect
    this.ctx.redirect(this.ctx.query.to);
  }

  async counted() {
    this.ctx.body = await this.service.stock.levels.below(this.ctx.query.level, this.ctx.queries.kind[0]);
  }
}

module.exports = CratesController;
