import type { HttpContextContract } from "@ioc:Adonis/Core/HttpContext";
import Database from "@ioc:Adonis/Lucid/Database";
import Post from "App/Models/Post";

export default class PostsController {
  public async index({ request, response, params }: HttpContextContract) {
    // vuln: sql_injection
    const found = await Database.rawQuery(`SELECT * FROM posts WHERE title = '${request.input("title")}'`);
    // safe: sql_injection
    const same = await Database.rawQuery("SELECT * FROM posts WHERE title = ?", [request.input("title")]);
    // vuln: sql_injection
    const mine = await Database.rawQuery(`SELECT * FROM posts WHERE author = '${params.author}'`);
    // vuln: open_redirect
    if (request.qs().back) return response.redirect(request.qs().back);
    // safe: open_redirect
    if (found) return response.redirect("/posts");
    return { same, mine };
  }

  public async store({ request }: HttpContextContract) {
    // vuln: mass_assignment
    return Post.create(request.all());
  }

  public async show(context: HttpContextContract) {
    // vuln: sql_injection
    return Database.rawQuery(`SELECT * FROM posts WHERE id = ${context.params.id}`);
  }
}
