public partial class Default : System.Web.UI.Page
{
    protected void Page_Load(object sender, EventArgs e)
    {
        string name = Request.QueryString["name"];
        // vuln: xss
        Response.Write("Hello " + name);
        // vuln: xss
        lblName.Text = "Hello " + name;
        // vuln: xss
        litName.Text = Request["x"];
        // safe: xss
        litName.Text = Server.HtmlEncode(name);
        // vuln: open_redirect
        Response.Redirect(Request.QueryString["url"]);
        // vuln: path_traversal
        Response.WriteFile(Server.MapPath("~/files/" + Request.Params["file"]));
    }

    protected void btn_Click(object sender, EventArgs e)
    {
        // vuln: sql_injection
        SqlCommand cmd = new SqlCommand("SELECT * FROM users WHERE u = '" + txtUser.Text + "'", conn);
        // vuln: sql_injection
        da.SelectCommand = new SqlCommand("SELECT * FROM t WHERE id = " + Request.Form["id"], conn);
        int id = Convert.ToInt32(Request.Form["id"]);
        // safe: sql_injection
        da.SelectCommand = new SqlCommand("SELECT * FROM t WHERE id = " + id, conn);
    }
}

public class Handler : IHttpHandler
{
    public void ProcessRequest(HttpContext context)
    {
        // vuln: xss
        context.Response.Write("<p>" + context.Request["q"] + "</p>");
    }
}

public class HomeController : Controller
{
    [HttpPost]
    public ActionResult Save(Product model)
    {
        // vuln: sql_injection
        db.Database.ExecuteSqlCommand("UPDATE p SET n = '" + model.Name + "'");
        // vuln: sql_injection
        var x = db.Products.SqlQuery("SELECT * FROM p WHERE n = '" + model.Name + "'");
        // vuln: path_traversal
        return File(Path.Combine("/x", Request.QueryString["f"]), "text/plain");
    }
    public ActionResult Index(string q)
    {
        ViewBag.Q = q;
        // safe: xss
        return View();
    }
}

public class Desktop
{
    public void Show(Document other)
    {
        // safe: sql_injection
        var c = new SqlCommand("SELECT * FROM t WHERE n = '" + other.Text + "'");
    }
}
