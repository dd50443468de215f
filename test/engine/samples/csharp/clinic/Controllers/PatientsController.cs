using System.Data.SqlClient;
using System.Diagnostics;
using System.IO;
using Clinic.Services;
using Microsoft.AspNetCore.Mvc;

namespace Clinic.Controllers;

[ApiController]
[Route("api/[controller]")]
public class PatientsController : ControllerBase
{
    private readonly ClinicContext _context;
    private readonly string _connection = Environment.GetEnvironmentVariable("CLINIC_DB");
    private readonly HttpClient _http = new();

    public PatientsController(ClinicContext context)
    {
        _context = context;
    }

    [HttpGet]
    public IActionResult Search([FromQuery] string name, [FromQuery] int page = 0)
    {
        using var connection = new SqlConnection(_connection);
        connection.Open();
        // vuln: sql_injection
        using var command = new SqlCommand($"SELECT * FROM patients WHERE name LIKE '%{name}%'", connection);
        // safe: sql_injection
        using var next = new SqlCommand($"SELECT * FROM patients ORDER BY id OFFSET {page * 20} ROWS", connection);
        // safe: sql_injection
        using var bound = new SqlCommand("SELECT * FROM patients WHERE name = @name", connection);
        bound.Parameters.AddWithValue("@name", name);
        return Ok(command.ExecuteReader());
    }

    [HttpGet("sorted")]
    public async Task<IActionResult> Sorted(string column)
    {
        // vuln: sql_injection
        var all = await _context.Patients.FromSqlRaw("SELECT * FROM patients ORDER BY " + column).ToListAsync();
        var known = column switch { "name" => "name", "born" => "born", _ => "id" };
        // safe: sql_injection
        var safe = await _context.Patients.FromSqlRaw("SELECT * FROM patients ORDER BY " + known).ToListAsync();
        return Ok(all.Concat(safe));
    }

    [HttpGet("{id:int}/scan")]
    public IActionResult Scan(int id, string file)
    {
        // vuln: path_traversal
        var bytes = System.IO.File.ReadAllBytes(Path.Combine("/srv/scans", id.ToString(), file));
        // safe: path_traversal
        var own = System.IO.File.ReadAllBytes(Path.Combine("/srv/scans", id.ToString(), Path.GetFileName(file)));
        return File(bytes.Concat(own).ToArray(), "image/png");
    }

    [HttpPost("convert")]
    public IActionResult Convert([FromBody] ConvertRequest request)
    {
        // vuln: command_injection
        Process.Start("/bin/sh", "-c \"dcm2png " + request.Source + "\"");
        // safe: command_injection
        Process.Start("/usr/bin/dcm2png", "--version");
        return Accepted();
    }

    [HttpGet("photo")]
    public async Task<IActionResult> Photo(string address, Guid patient)
    {
        // vuln: ssrf
        var photo = await _http.GetByteArrayAsync(address);
        // safe: ssrf
        var ours = await _http.GetByteArrayAsync($"https://photos.clinic.example/{patient}");
        return File(photo.Concat(ours).ToArray(), "image/jpeg");
    }

    [HttpGet("card")]
    public ContentResult Card()
    {
        var name = Request.Query["name"].ToString();
        if (Request.Headers.Accept == "text/plain")
        {
            // safe: xss
            return Content("Name: " + name, "text/plain");
        }
        // vuln: xss
        return Content("<h1>" + name + "</h1>", "text/html");
    }

    [HttpGet("badge")]
    public ContentResult Badge(string name)
    {
        // safe: xss
        return Content("<h1>" + System.Net.WebUtility.HtmlEncode(name) + "</h1>", "text/html");
    }
}
