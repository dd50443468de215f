using System.DirectoryServices;
using System.Xml;
using Clinic.Services;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Clinic.Controllers;

public class AccountController : Controller
{
    private readonly Passwords _passwords;

    public AccountController(Passwords passwords) => _passwords = passwords;

    [HttpPost]
    public IActionResult Login(LoginForm form, string returnUrl)
    {
        if (!_passwords.Matches(form.User, form.Password)) return Unauthorized();
        // vuln: insecure_cookie
        Response.Cookies.Append("session", _passwords.NewSession(), new CookieOptions { HttpOnly = false });
        // vuln: open_redirect
        return Redirect(returnUrl);
    }

    [HttpPost]
    public IActionResult Return(string returnUrl)
    {
        // safe: insecure_cookie
        Response.Cookies.Append("session", _passwords.NewSession(), new CookieOptions { HttpOnly = true, Secure = true });
        if (!Url.IsLocalUrl(returnUrl)) return RedirectToAction("Index");
        // safe: open_redirect
        return Redirect(returnUrl);
    }

    public IActionResult Staff(string user)
    {
        using var searcher = new DirectorySearcher();
        // vuln: ldap_injection
        searcher.Filter = $"(&(objectClass=person)(uid={user}))";
        return Json(searcher.FindAll());
    }

    public IActionResult Rights(string user, int ward)
    {
        var rights = new XmlDocument();
        rights.Load("/srv/rights.xml");
        // vuln: xpath_injection
        var own = rights.SelectNodes("//right[@user='" + user + "']");
        // safe: xpath_injection
        var shared = rights.SelectNodes("//right[@ward=" + ward + "]");
        return Json(new { own, shared });
    }
}
