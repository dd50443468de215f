using System.Data.SqlClient;
using System.Diagnostics;
using Microsoft.AspNetCore.Mvc;
using Microsoft.EntityFrameworkCore;
using Shop.Services;

namespace Shop.Controllers
{
    [ApiController]
    [Route("api/[controller]")]
    public class ProductsController : ControllerBase
    {
        private readonly ShopContext _context;
        private readonly IProductService _products;
        private readonly IConfiguration _config;
        private readonly ILogger<ProductsController> _logger;
        private readonly HttpClient _http;

        public ProductsController(ShopContext context, IProductService products, IConfiguration config, ILogger<ProductsController> logger, HttpClient http)
        {
            _context = context; _products = products; _config = config; _logger = logger; _http = http;
        }

        [HttpGet("search")]
        public async Task<IActionResult> Search([FromQuery] string q, string sort)
        {
            // vuln: sql_injection
            var a = await _context.Products.FromSqlRaw("SELECT * FROM Products WHERE Name LIKE '%" + q + "%'").ToListAsync();
            // vuln: sql_injection
            var b = _context.Products.FromSqlRaw($"SELECT * FROM Products ORDER BY {sort}").ToList();
            // safe: sql_injection
            var c = _context.Products.FromSqlInterpolated($"SELECT * FROM Products WHERE Name = {q}").ToList();
            // safe: sql_injection
            var d = _context.Products.FromSqlRaw("SELECT * FROM Products WHERE Name = {0}", q).ToList();
            // vuln: sql_injection
            _context.Database.ExecuteSqlRaw("UPDATE Products SET Seen = 1 WHERE Name = '" + q + "'");
            // safe: sql_injection
            _context.Database.ExecuteSqlInterpolated($"UPDATE Products SET Seen = 1 WHERE Name = {q}");
            // safe: sql_injection
            var e = _context.Products.Where(p => p.Name == q).ToList();
            using (var connection = new SqlConnection(_config.GetConnectionString("db")))
            {
                var query = string.Format("SELECT * FROM Products WHERE Name = '{0}'", q);
                // vuln: sql_injection
                var command = new SqlCommand(query, connection);
                connection.Open();
                using var reader = command.ExecuteReader();
                var safe = new SqlCommand("SELECT * FROM Products WHERE Name = @name", connection);
                // safe: sql_injection
                safe.Parameters.AddWithValue("@name", q);
                var cmd2 = connection.CreateCommand();
                // vuln: sql_injection
                cmd2.CommandText = "DELETE FROM Products WHERE Name = '" + q + "'";
                var sb = new StringBuilder();
                sb.Append("SELECT * FROM Products WHERE Name = '");
                sb.Append(q);
                sb.Append("'");
                // vuln: sql_injection
                var cmd3 = new SqlCommand(sb.ToString(), connection);
                // vuln: sql_injection
                var rows = connection.Query<Product>($"SELECT * FROM Products WHERE Name = '{q}'");
                // safe: sql_injection
                var rows2 = connection.Query<Product>("SELECT * FROM Products WHERE Name = @q", new { q });
                // vuln: sql_injection
                var adapter = new SqlDataAdapter("SELECT * FROM P WHERE n = '" + q + "'", connection);
            }
            return Ok(_products.Find(q));
        }

        [HttpGet("{id}")]
        public IActionResult Get(int id)
        {
            // safe: sql_injection
            return Ok(_context.Products.FromSqlRaw("SELECT * FROM Products WHERE Id = " + id).ToList());
        }

        [HttpGet("file/{name}")]
        public IActionResult Download(string name)
        {
            var path = Path.Combine("/srv/files", name);
            // vuln: path_traversal
            var bytes = System.IO.File.ReadAllBytes(path);
            // vuln: path_traversal
            return PhysicalFile(path, "application/pdf");
        }

        [HttpGet("safe/{name}")]
        public IActionResult DownloadSafe(string name)
        {
            var root = Path.GetFullPath("/srv/files/");
            var path = Path.GetFullPath(Path.Combine(root, name));
            if (!path.StartsWith(root)) return BadRequest();
            // safe: path_traversal
            var bytes = System.IO.File.ReadAllBytes(path);
            // safe: path_traversal
            var other = System.IO.File.ReadAllBytes(Path.Combine("/srv/files", Path.GetFileName(name)));
            return File(bytes, "application/pdf");
        }

        [HttpPost("upload")]
        public async Task<IActionResult> Upload(IFormFile file)
        {
            var target = Path.Combine("wwwroot/uploads", file.FileName);
            // vuln: path_traversal
            using var stream = new FileStream(target, FileMode.Create);
            await file.CopyToAsync(stream);
            // safe: path_traversal
            using var stream2 = new FileStream(Path.Combine("uploads", Guid.NewGuid() + ".bin"), FileMode.Create);
            return Ok();
        }

        [HttpGet("ping")]
        public string Ping(string host)
        {
            // vuln: command_injection
            var p = Process.Start("cmd.exe", "/c ping " + host);
            // vuln: command_injection
            var info = new ProcessStartInfo { FileName = "/bin/bash", Arguments = $"-c \"ping {host}\"" };
            var process = new Process();
            process.StartInfo.FileName = "/bin/sh";
            // vuln: command_injection
            process.StartInfo.Arguments = "-c " + host;
            var args = new ProcessStartInfo("ping");
            // safe: command_injection
            args.ArgumentList.Add(host);
            return "";
        }

        [HttpGet("proxy")]
        public async Task<string> Proxy(string url)
        {
            // vuln: ssrf
            var a = await _http.GetStringAsync(url);
            using var client = new HttpClient();
            // vuln: ssrf
            var b = await client.GetAsync(url);
            // vuln: ssrf
            var c = new WebClient().DownloadString(url);
            // vuln: ssrf
            var d = WebRequest.Create(url);
            // safe: ssrf
            var e = await client.GetAsync("https://api.example.org/items?q=" + Uri.EscapeDataString(url));
            return a;
        }

        [HttpGet("go")]
        public IActionResult Go(string returnUrl)
        {
            // vuln: open_redirect
            return Redirect(returnUrl);
        }

        [HttpGet("gosafe")]
        public IActionResult GoSafe(string returnUrl)
        {
            if (Url.IsLocalUrl(returnUrl))
                // safe: open_redirect
                return Redirect(returnUrl);
            // safe: open_redirect
            return LocalRedirect(returnUrl);
        }

        [HttpGet("hello")]
        public ContentResult Hello(string name)
        {
            // vuln: xss
            return Content("<h1>Hello " + name + "</h1>", "text/html");
        }

        [HttpGet("hello2")]
        public ContentResult Hello2(string name)
        {
            // safe: xss
            return Content("<h1>Hello " + HttpUtility.HtmlEncode(name) + "</h1>", "text/html");
        }

        [HttpGet("hello3")]
        public ContentResult Hello3(string name)
        {
            // vuln: xss
            return new ContentResult { Content = "<h1>" + name + "</h1>", ContentType = "text/html" };
        }

        [HttpPost("load")]
        public IActionResult Load([FromBody] string data)
        {
            var formatter = new BinaryFormatter();
            // vuln: deserialization
            var o = formatter.Deserialize(new MemoryStream(Convert.FromBase64String(data)));
            // vuln: deserialization
            var j = JsonConvert.DeserializeObject(data, new JsonSerializerSettings { TypeNameHandling = TypeNameHandling.All });
            // safe: deserialization
            var k = JsonConvert.DeserializeObject<Product>(data);
            // vuln: deserialization
            var x = new XmlSerializer(Type.GetType(data)).Deserialize(new StringReader(data));
            var doc = new XmlDocument();
            // vuln: xxe
            doc.XmlResolver = new XmlUrlResolver();
            doc.LoadXml(data);
            var safe = new XmlDocument { XmlResolver = null };
            // safe: xxe
            safe.LoadXml(data);
            // vuln: xxe
            var settings = new XmlReaderSettings { DtdProcessing = DtdProcessing.Parse, XmlResolver = new XmlUrlResolver() };
            var reader = XmlReader.Create(new StringReader(data), settings);
            // vuln: xpath_injection
            var node = doc.SelectSingleNode("//user[name='" + data + "']");
            var searcher = new DirectorySearcher();
            // vuln: ldap_injection
            searcher.Filter = "(uid=" + data + ")";
            // vuln: code_injection
            var r = CSharpScript.EvaluateAsync(data);
            // vuln: log_injection
            _logger.LogInformation("login " + data);
            // safe: log_injection
            _logger.LogInformation("count {Count}", 3);
            return Ok();
        }

        [HttpPost("login")]
        public IActionResult Login([FromForm] LoginModel model)
        {
            // vuln: weak_hash
            var hash = MD5.Create().ComputeHash(Encoding.UTF8.GetBytes(model.Password));
            // vuln: sql_injection
            var user = _context.Users.FromSqlRaw("SELECT * FROM Users WHERE Name = '" + model.Name + "'").FirstOrDefault();
            // vuln: weak_random
            var token = new Random().Next().ToString();
            // vuln: insecure_cookie
            Response.Cookies.Append("session", token, new CookieOptions { HttpOnly = false });
            // vuln: weak_cipher
            var des = DES.Create();
            // vuln: weak_cipher
            var aes = new AesManaged { Mode = CipherMode.ECB };
            var handler = new HttpClientHandler();
            // vuln: tls_verification
            handler.ServerCertificateCustomValidationCallback = (m, c, ch, e) => true;
            // vuln: tls_verification
            ServicePointManager.ServerCertificateValidationCallback += (s, c, ch, e) => true;
            // vuln: hardcoded_key
            var key = new SymmetricSecurityKey(Encoding.UTF8.GetBytes("this is my custom Secret key for authentication"));
            return Ok();
        }
    }
}
