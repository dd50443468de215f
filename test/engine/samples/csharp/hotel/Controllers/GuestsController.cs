using Microsoft.AspNetCore.Mvc;

namespace Hotel.Controllers
{
    public class GuestsController : Controller
    {
        private readonly IGuests _guests;

        public GuestsController(IGuests guests)
        {
            _guests = guests;
        }

        public IActionResult Search(string query, int page)
        {
            ViewBag.Query = query;
            ViewBag.Page = page;
            ViewData["Note"] = Request.Query["note"];
            return View();
        }

        public IActionResult Card(string name)
        {
            return View(new Card { Name = name });
        }

        public IActionResult Again(string text)
        {
            return View("Card", text);
        }

        public IActionResult List()
        {
            ViewBag.Title = "Guests";
            return View(_guests.All());
        }
    }
}
