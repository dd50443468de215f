import { BodyParam, Get, JsonController, Param, Post, QueryParam, Req } from "routing-controllers";
import { pool } from "./pool";

@JsonController("/posts")
export class PostsController {
  @Get("/:slug")
  async get(@Param("slug") slug: string, @QueryParam("page") page: number, @Req() request: any) {
    // vuln: sql_injection
    const post = await pool.query(`SELECT * FROM posts WHERE slug = '${slug}'`);
    // safe: sql_injection
    const rest = await pool.query(`SELECT * FROM posts OFFSET ${page}`);
    // vuln: sql_injection
    const sorted = await pool.query(`SELECT * FROM posts ORDER BY ${request.query.order}`);
    return { post, rest, sorted };
  }

  @Post("/")
  async create(@BodyParam("title") title: string) {
    // vuln: sql_injection
    await pool.query(`INSERT INTO posts (title) VALUES ('${title}')`);
  }
}
