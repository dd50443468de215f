public class SearchModel : PageModel
{
    private readonly string _cs;
    [BindProperty] public string Term { get; set; }
    [BindProperty(SupportsGet = true)] public string Sort { get; set; }

    [BindProperty] public Filter Filter { get; set; }

    public void OnGet(string q)
    {
        using var con = new SqlConnection(_cs);
        // vuln: sql_injection
        var cmd = new SqlCommand("SELECT * FROM t WHERE n = '" + q + "'", con);
        // vuln: sql_injection
        var cmd2 = new SqlCommand("SELECT * FROM t ORDER BY " + Sort, con);
    }

    public IActionResult OnPost()
    {
        // vuln: sql_injection
        var cmd = new SqlCommand("SELECT * FROM t WHERE n = '" + Term + "'");
        // vuln: sql_injection
        var cmd2 = new SqlCommand("SELECT * FROM t WHERE maker = '" + Filter.Maker + "'");
        return Page();
    }
}

public class Filter
{
    public string Maker { get; set; }
}
