using Microsoft.Data.Sqlite;
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddCors(o => o.AddDefaultPolicy(p => p.AllowAnyOrigin().AllowAnyHeader()));
// vuln: permissive_cors
builder.Services.AddCors(o => o.AddPolicy("all", p => p.SetIsOriginAllowed(_ => true).AllowCredentials()));
var app = builder.Build();
app.MapGet("/items", (string name, SqliteConnection db) =>
{
    var command = db.CreateCommand();
    // vuln: sql_injection
    command.CommandText = $"SELECT * FROM items WHERE name = '{name}'";
    return command.ExecuteScalar();
});
app.MapGet("/page", (string name) =>
    // vuln: xss
    Results.Content($"<h1>{name}</h1>", "text/html"));
app.MapGet("/go", (HttpContext context) => {
    // vuln: open_redirect
    context.Response.Redirect(context.Request.Query["to"]);
});
app.MapPost("/run", async (HttpRequest request) =>
{
    using var reader = new StreamReader(request.Body);
    var body = await reader.ReadToEndAsync();
    // vuln: command_injection
    Process.Start("sh", "-c " + body);
});
app.MapGet("/f/{file}", (string file) =>
    // vuln: path_traversal
    Results.File(Path.Combine("/data", file)));
app.Run();
