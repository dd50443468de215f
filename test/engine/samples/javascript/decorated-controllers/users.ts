import { Body, Controller, Get, Path, Post, Query, Route } from "tsoa";
import { pool } from "./pool";

@Route("users")
export class UsersController extends Controller {
  @Get("{name}")
  public async get(@Path() name: string, @Query() order: string, @Query() limit: number) {
    // vuln: sql_injection
    const user = await pool.query(`SELECT * FROM users WHERE name = '${name}'`);
    // vuln: sql_injection
    const sorted = await pool.query(`SELECT * FROM users ORDER BY ${order}`);
    // safe: sql_injection
    const some = await pool.query(`SELECT * FROM users LIMIT ${limit}`);
    return { user, sorted, some };
  }

  @Post()
  public async create(@Body() user: NewUser) {
    // vuln: sql_injection
    await pool.query(`INSERT INTO users (name) VALUES ('${user.name}')`);
  }
}
