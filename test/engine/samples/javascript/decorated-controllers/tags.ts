import { param, post, requestBody } from "@loopback/rest";
import { pool } from "./pool";

export class TagsController {
  @post("/tags")
  async create(@param.query.string("book") book: string, @requestBody() tag: Tag) {
    // vuln: sql_injection
    await pool.query(`INSERT INTO tags (book) VALUES ('${book}')`);
    // vuln: sql_injection
    await pool.query(`INSERT INTO tags (name) VALUES ('${tag.name}')`);
    // safe: sql_injection
    await pool.query("INSERT INTO tags (name) VALUES (?)", [tag.name]);
  }
}
