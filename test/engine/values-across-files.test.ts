// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is analysed has templates
import { beforeAll, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

// One row per way that a value takes; lines that are to be told end in `told`, and no other line may be.
const projects: [way: string, files: Record<string, string>][] = [
  [
    "fields of an object of JavaScript that another file's class fills",
    {
      "app.js": `
const app = require("express")();
const { Page } = require("./page");
const { load, pageOf } = require("./factory");
const { search, searchLimit } = require("./search");
app.get("/", (req, res) => {
  const page = new Page(req);
  eval(page.column); // told
  eval(page.limit);
  eval(page.table);
  eval(page.order); // told
  eval(page.params.q); // told
  eval(page.params.n);
  const { column, limit } = new Page(req);
  eval(column); // told
  eval(limit);
  eval(pageOf(req).column); // told
  eval(pageOf(req).limit);
  eval(load(req).params.q); // told
  eval(load(req).params.n);
  search(page);
  searchLimit(page);
  res.send(page);
});`,
      "page.js": `
class Page {
  table = "items";
  constructor(req) {
    this.req = req;
    this.column = req.query.column;
    this.limit = Number(req.query.limit);
    this.params = { q: req.query.q, n: Number(req.query.n) };
  }
  get order() { return this.req.query.order; }
}
module.exports = { Page };`,
      "factory.js": `
const { Page } = require("./page");
exports.pageOf = (req) => new Page(req);
exports.load = (req) => ({ params: { q: req.query.q, n: Number(req.query.n) } });`,
      "search.js": `
exports.search = (page) => eval(page.column); // told
exports.searchLimit = (page) => eval(page.limit);`,
    },
  ],
  [
    "fields and properties of an object of Python that another file's class fills",
    {
      "app.py": `
from flask import Flask, request
from page import Page, Settings
from search import search, search_limit
app = Flask(__name__)
@app.route("/")
def index():
    page = Page(request)
    eval(page.column)  # told
    eval(page.limit)
    eval(page.table)
    eval(page.order)  # told
    eval(page.offset)
    settings = Settings()
    eval(settings.theme)  # told
    eval(settings.size)
    search(page)
    search_limit(page)
    return page`,
      "page.py": `
from flask import request as current
class Page:
    table = "items"
    def __init__(self, request):
        self.request = request
        self.column = request.args["column"]
        self.limit = int(request.args["limit"])
    @property
    def order(self):
        return self.request.args["order"]
    @property
    def offset(self):
        return int(self.request.args["offset"])
class Settings:
    @property
    def theme(self):
        return current.args["theme"]
    @property
    def size(self):
        return int(current.args["size"])`,
      "search.py": `
def search(page):
    eval(page.column)  # told
def search_limit(page):
    eval(page.limit)`,
    },
  ],
  [
    "fields of an object of PHP that another file's class fills",
    {
      "index.php": `<?php
require 'Page.php';
$page = new Page();
system($page->column); // told
system($page->limit);
system($page->table);
system((new Page())->column); // told
search($page);
search_limit($page);`,
      "Page.php": `<?php
class Page {
  public $column; public $limit; public $table = 'items';
  public function __construct() { $this->column = $_GET['c']; $this->limit = (int)$_GET['l']; }
}`,
      "search.php": `<?php
function search($page) {
  system($page->column); // told
}
function search_limit($page) {
  system($page->limit);
}`,
    },
  ],
  [
    "fields of an object of Java that another file's class fills",
    {
      "src/main/java/a/Page.java": `package a;
import javax.servlet.http.*;
public class Page {
  public final String column; public final int limit; public final String table = "items";
  public Page(HttpServletRequest req) { column = req.getParameter("c"); limit = Integer.parseInt(req.getParameter("l")); }
}`,
      "src/main/java/a/App.java": `package a;
import javax.servlet.http.*;
public class App extends HttpServlet {
  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {
    Page page = new Page(req);
    Runtime.getRuntime().exec(page.column); // told
    Runtime.getRuntime().exec("ls " + page.limit);
    Runtime.getRuntime().exec(page.table);
    Runtime.getRuntime().exec(new Page(req).column); // told
  }
}`,
    },
  ],
  [
    "properties of an object of C# that another file's class fills",
    {
      "Page.cs": `
using Microsoft.AspNetCore.Http;
public class Page {
  public string Column { get; } public int Limit { get; } private HttpRequest req;
  public string Order => req.Query["o"];
  public Page(HttpRequest req) { this.req = req; Column = req.Query["c"]; Limit = int.Parse(req.Query["l"]); }
}`,
      "App.cs": `
using System.Diagnostics; using Microsoft.AspNetCore.Mvc;
public class AppController : Controller {
  public IActionResult Index() {
    var page = new Page(Request);
    Process.Start("sh", "-c " + page.Column); // told
    Process.Start("sh", "-c " + page.Limit);
    Process.Start("sh", "-c " + page.Order); // told
    return Ok();
  }
}`,
    },
  ],
  [
    "properties of an object of Kotlin that another file's class fills",
    {
      "src/Page.kt": `package a
import javax.servlet.http.*
class Page(req: HttpServletRequest) { val column: String = req.getParameter("c"); val limit: Int = req.getParameter("l").toInt() }`,
      "src/App.kt": `package a
import javax.servlet.http.*
class App : HttpServlet() {
  override fun doGet(req: HttpServletRequest, res: HttpServletResponse) {
    val page = Page(req)
    Runtime.getRuntime().exec("ls " + page.column) // told
    Runtime.getRuntime().exec("ls " + page.limit)
  }
}`,
    },
  ],
  [
    "fields of an object of JavaScript that is filled before its methods are called",
    {
      "app.js": `
const app = require("express")();
const { Job, run, runOther } = require("./job");
app.post("/", (req, res) => {
  const job = new Job();
  job.name = req.body.name;
  job.size = "x";
  job.title = req.body.title;
  job.start();
  job.stop();
  job.wait();
  run(job);
  runOther(job);
});`,
      "job.js": `
class Job {
  start() { eval(this.name); } // told
  stop() { eval(this.size); }
  wait() { this.title = "none"; eval(this.title); }
}
class Other {
  start() { eval(this.name); }
}
exports.Job = Job;
exports.Other = Other;
exports.run = (job) => eval(job.name); // told
exports.runOther = (job) => eval(job.size);`,
      "library.js": `
const { View } = require("some-library");
class Job extends View {
  start() { eval(this.name); }
}
module.exports = { Job };`,
    },
  ],
  [
    "fields of an object of Python that is filled before its methods are called",
    {
      "app.py": `
from flask import Flask, request
from job import Job, run, run_other
app = Flask(__name__)
@app.route("/")
def index():
    job = Job()
    job.name = request.args["n"]
    job.number = int(request.args["i"])
    job.other = "x"
    job.start()
    job.stop()
    run(job)
    run_other(job)
    return ""`,
      "job.py": `
class Job:
    name = ""
    def start(self):
        eval(self.name)  # told
        eval(self.number)
    def stop(self):
        eval(self.other)
class Task:
    def start(self):
        eval(self.name)
def run(job):
    eval(job.name)  # told
def run_other(job):
    eval(job.other)`,
    },
  ],
  [
    "fields of an object of PHP that is filled before its methods are called",
    {
      "index.php": `<?php
require 'Job.php';
$job = new Job($db);
$job->name = $_POST['name'];
$job->title = $_POST['title'];
$job->kind = 'x';
$job->save();
$job->start();`,
      "Job.php": `<?php
class Job {
  public $name; public $title; public $kind; private $db;
  public function __construct($db) { $this->db = $db; }
  public function save() {
    $query = "INSERT INTO jobs (kind) VALUES ('" . $this->kind . "')";
    mysqli_query($this->db, $query);
    $query = "INSERT INTO jobs (name) VALUES ('" . $this->name . "')";
    mysqli_query($this->db, $query); // told
    $this->title = mysqli_real_escape_string($this->db, $this->title);
    $query = "INSERT INTO jobs (title) VALUES ('" . $this->title . "')";
    mysqli_query($this->db, $query);
  }
  public function start() {
    system("start " . $this->name); // told
    system("start " . $this->kind);
  }
}`,
    },
  ],
  [
    "structs of another package of Go that are filled before their methods are called",
    {
      "go.mod": "module example.com/app",
      "job/job.go": `package job
import "os/exec"
type Job struct { Name string; Kind string; Size string }
type Task struct { Name string }
func (j *Job) Start() {
	exec.Command("sh", "-c", "ls " + j.Name).Run() // told
}
func (j *Job) Stop() {
	exec.Command("sh", "-c", "ls " + j.Kind).Run()
}
func (j Job) Wait() {
	exec.Command("sh", "-c", "ls " + j.Size).Run() // told
}
func (t *Task) Start() {
	exec.Command("sh", "-c", "ls " + t.Name).Run()
}`,
      "main.go": `package main
import ("net/http"; "example.com/app/job")
func handler(w http.ResponseWriter, r *http.Request) {
	j := &job.Job{Kind: "x"}
	j.Name = r.FormValue("n")
	j.Start()
	j.Stop()
	k := job.Job{Size: r.FormValue("s"), Kind: "x"}
	k.Wait()
}
func main() { http.HandleFunc("/", handler) }`,
    },
  ],
  [
    "what functions of another file of JavaScript throw to who shows it",
    {
      "app.js": `
const app = require("express")();
const { load, loadInput, loadNumber, loadFixed, loadQuietly, find, count, note } = require("./load");
app.get("/", async (req, res) => {
  try { await load(req.query.x); } catch (e) {
    if (req.query.a) res.send("<p>" + e.message + "</p>"); // told
    if (req.query.b) res.send("<p>" + e + "</p>"); // told
    if (req.query.c) res.send("<p>" + e.id + "</p>"); // told
    res.send("<p>" + e.status + "</p>");
    res.json({ error: e.message });
  }
  try { loadInput(req); } catch (e) {
    res.send("<p>" + e.message + "</p>"); // told
  }
  try { loadNumber(req.query.x); } catch (e) {
    res.send("<p>" + e.message + "</p>");
  }
  try { loadFixed(req.query.x); } catch (e) {
    res.send("<p>" + e.message + "</p>");
  }
  try { loadQuietly(req.query.x); } catch (e) {
    res.send("<p>" + e.message + "</p>");
  }
  try { load("x"); } catch (e) {
    res.send("<p>" + e.message + "</p>");
  }
  const { id } = req.query;
  try { find(id); count(id); note(id, id); loadFixed(id); loadNumber(id); loadQuietly(id); } catch (e) {
    res.send("<p>" + e.message + "</p>");
  }
});`,
      "load.js": `
class NotFound extends Error {
  constructor(id) { super("No item " + id); this.id = id; this.status = 404; }
}
class Fixed extends Error {
  constructor(id) { super("No item"); this.id = id; }
}
const check = (id) => { if (id !== "none") throw new NotFound(id); };
exports.load = async (id) => check(id);
exports.loadInput = (req) => { throw new Error("No item " + req.query.x); };
exports.loadNumber = (id) => { throw new Error("No item " + Number(id)); };
exports.loadFixed = (id) => { throw new Fixed(id); };
exports.find = (id) => { throw new Error("none"); };
exports.count = (id) => { throw new Error("no number"); };
exports.note = (id, text) => { throw new Error("no text"); };
exports.loadQuietly = (id) => { try { check(id); } catch { return null; } };`,
    },
  ],
  [
    "what functions of another file of Python raise to who shows it",
    {
      "app.py": `
from flask import Flask, request
from load import BadInput, Fixed, load, load_fixed, load_input, load_number
app = Flask(__name__)
@app.route("/a")
def a():
    try:
        load(request.args["x"])
    except BadInput as e:
        return "<p>" + str(e) + "</p>"  # told
@app.route("/b")
def b():
    try:
        load_input()
    except ValueError as e:
        return f"<p>{e}</p>"  # told
@app.route("/c")
def c():
    try:
        load_number(request.args["x"])
    except ValueError as e:
        return "<p>%s</p>" % e
@app.route("/d")
def d():
    try:
        load_fixed(request.args["x"])
    except Fixed as e:
        return "<p>%s</p>" % e`,
      "load.py": `
from flask import request
class BadInput(Exception):
    def __init__(self, name):
        super().__init__("no " + name)
        self.status = 404
class Fixed(Exception):
    def __init__(self, name):
        super().__init__("none")
        self.name = name
def load(name):
    raise BadInput(name)
def load_input():
    raise ValueError("no item " + request.args["x"])
def load_number(name):
    raise ValueError(f"no item {int(name)}")
def load_fixed(name):
    raise Fixed(name)`,
    },
  ],
  [
    "what functions of another file of PHP throw to who shows it",
    {
      "index.php": `<?php
require 'load.php';
try { load($_GET['x']); } catch (BadInput $e) {
  echo "<p>" . $e->getMessage(); // told
}
try { load_input(); } catch (Exception $e) {
  echo "<p>" . $e->getMessage(); // told
  echo "<p>" . htmlspecialchars($e->getMessage());
}
try { load_number($_GET['x']); } catch (Exception $e) {
  echo "<p>" . $e->getMessage();
}
try { load_fixed($_GET['x']); } catch (Fixed $e) {
  echo "<p>" . $e->getMessage();
}`,
      "load.php": `<?php
class BadInput extends Exception {
  public function __construct($m) { parent::__construct("bad " . $m); }
}
class Fixed extends Exception {
  private $m;
  public function __construct($m) { parent::__construct("bad"); $this->m = $m; }
}
function load($x) { throw new BadInput("no item $x"); }
function load_input() { throw new Exception("no item " . $_GET['y']); }
function load_number($x) { throw new Exception("no item " . (int)$x); }
function load_fixed($x) { throw new Fixed($x); }`,
    },
  ],
  [
    "what methods of another class of Java throw to who shows it",
    {
      "src/main/java/a/Load.java": `package a;
import javax.servlet.http.HttpServletRequest;
public class Load {
  static class Fixed extends Exception { private final String x; Fixed(String x) { super("none"); this.x = x; } }
  static class Bad extends Exception { Bad(String x) { super("no " + x); } }
  static void load(String x) throws Bad { throw new Bad("item " + x); }
  static void loadInput(HttpServletRequest req) { throw new IllegalArgumentException("no item " + req.getParameter("x")); }
  static void loadNumber(String x) { throw new IllegalArgumentException("no item " + Integer.parseInt(x)); }
  static void loadFixed(String x) throws Fixed { throw new Fixed(x); }
}`,
      "src/main/java/a/App.java": `package a;
import javax.servlet.http.*;
public class App extends HttpServlet {
  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws java.io.IOException {
    try { Load.load(req.getParameter("x")); } catch (Exception e) {
      res.getWriter().println("<p>" + e.getMessage()); // told
    }
    try { Load.loadInput(req); } catch (IllegalArgumentException e) {
      res.getWriter().println("<p>" + e.getMessage()); // told
    }
    try { Load.loadNumber(req.getParameter("x")); } catch (IllegalArgumentException e) {
      res.getWriter().println("<p>" + e.getMessage());
    }
    try { Load.loadFixed(req.getParameter("x")); } catch (Exception e) {
      res.getWriter().println("<p>" + e.getMessage());
    }
  }
}`,
    },
  ],
  [
    "functions that a file of JavaScript hands to those of others",
    {
      "app.js": `
const app = require("express")();
const { runJob, runNumber, withParams, save, saveAll } = require("./jobs");
const { execute, format } = require("./tools");
const fine = (v) => eval(v);
app.post("/", (req, res) => {
  runJob(req.body.cmd, execute);
  runJob("fixed", format);
  runNumber(req.body.cmd, format);
  withParams(req, (params) => eval(params.q)); // told
  withParams(req, (params) => eval(params.limit));
  save(req.body.name, {
    onSave: (v) => eval(v), // told
    onError: (v) => eval(v),
    done: fine,
  });
  saveAll({ value: req.body.name, onSave: (v) => eval(v) }); // told
});`,
      "jobs.js": `
exports.runJob = (value, work) => work(value);
exports.runNumber = (value, work) => work(Number(value));
exports.withParams = (req, work) => work({ q: req.query.q, limit: Number(req.query.limit) });
exports.save = (value, options) => { options.onSave(value); options.onError("failed"); options.done(1); };
exports.saveAll = ({ value, onSave }) => { if (onSave) onSave(value); };`,
      "tools.js": `
exports.execute = (v) => eval(v); // told
exports.format = (v) => eval(v);`,
    },
  ],
  [
    "functions that a file of Python hands to those of others",
    {
      "app.py": `
from flask import Flask, request
from jobs import run_job, run_number, save
from tools import execute, show
app = Flask(__name__)
def on_save(v):
    eval(v)  # told
def on_error(v):
    eval(v)
@app.route("/")
def index():
    run_job(request.args["c"], execute)
    run_job("fixed", show)
    run_number(request.args["c"], show)
    run_job(value=request.args["c"], work=lambda v: eval(v))  # told
    run_number(value=request.args["c"], work=lambda v: eval(v))
    save(request.args["c"], on_save=on_save, on_error=on_error)
    return ""`,
      "jobs.py": `
def run_job(value, work):
    return work(value)
def run_number(value, work):
    return work(int(value))
def save(value, on_save=None, on_error=None):
    if on_save:
        on_save(value)
    if on_error:
        on_error("failed")`,
      "tools.py": `
def execute(v):
    eval(v)  # told
def show(v):
    eval(v)`,
    },
  ],
  [
    "functions that a file of PHP hands by their names to those of others",
    {
      "index.php": `<?php
require 'jobs.php';
function execute($v) {
  system("ls " . $v); // told
}
function show($v) {
  system("ls " . $v);
}
run_job($_GET['c'], 'execute');
run_job('fixed', 'show');
run_number($_GET['c'], 'show');`,
      "jobs.php": `<?php
function run_job($value, callable $work) { $work($value); }
function run_number($value, callable $work) { call_user_func($work, (int)$value); }`,
    },
  ],
  [
    "functions that a class of Java hands to those of others by an interface of the application",
    {
      "src/main/java/a/Work.java": `package a;
public interface Work { void execute(String v) throws Exception; }`,
      "src/main/java/a/Jobs.java": `package a;
public class Jobs {
  public static void run(String value, Work work) throws Exception { work.execute(value); }
  public static void runNumber(String value, Work work) throws Exception { work.execute(String.valueOf(Integer.parseInt(value))); }
}`,
      "src/main/java/a/App.java": `package a;
import javax.servlet.http.*;
public class App extends HttpServlet {
  protected void doGet(HttpServletRequest req, HttpServletResponse res) throws Exception {
    Jobs.run(req.getParameter("c"), v -> Runtime.getRuntime().exec("ls " + v)); // told
    Jobs.run("fixed", v -> Runtime.getRuntime().exec("ls " + v));
    Jobs.runNumber(req.getParameter("c"), v -> Runtime.getRuntime().exec("ls " + v));
  }
}`,
    },
  ],
  [
    "what modules of JavaScript keep for all who import them",
    {
      "state.js": `
let current = null;
let fixed = "x";
const kept = {};
export function setCurrent(v) { current = v; }
export const getCurrent = () => current;
export const getFixed = () => fixed;
export const remember = (key, v) => { kept[key] = v; };
export const recall = (key) => kept[key];`,
      "session.js": `
class Session {
  set(v) { this.name = v; this.size = Number(v); }
  get() { return this.name; }
  getSize() { return this.size; }
}
module.exports = new Session();`,
      "box.js": `
export class Box {
  set(v) { this.name = v; }
  get() { return this.name; }
}`,
      "app.js": `
import express from "express";
import { remember, setCurrent } from "./state";
import session from "./session";
import { Box } from "./box";
import { work } from "./work";
const app = express();
app.get("/", (req, res) => {
  setCurrent(req.query.id);
  session.set(req.query.name);
  remember("cmd", req.query.cmd);
  new Box().set(req.query.box);
  work();
});`,
      "work.js": `
import { getCurrent, getFixed, recall } from "./state";
import session from "./session";
import { Box } from "./box";
export const work = () => {
  eval(getCurrent()); // told
  eval(getFixed());
  eval(session.get()); // told
  eval(session.getSize());
  eval(recall("fixed"));
  eval(new Box().get());
};`,
    },
  ],
  [
    "what modules of Python keep for all who import them",
    {
      "state.py": `
_current = None
_number = 0
_other = "x"
def set_current(v):
    global _current
    _current = v
def get_current():
    return _current
def set_number(v):
    global _number
    _number = int(v)
def get_number():
    return _number
def get_other():
    return _other`,
      "app.py": `
from flask import Flask, request
from state import set_current, set_number
from work import work
app = Flask(__name__)
@app.route("/")
def index():
    set_current(request.args["c"])
    set_number(request.args["n"])
    work()
    return ""`,
      "work.py": `
from state import get_current, get_number, get_other
def work():
    eval(get_current())  # told
    eval(get_number())
    eval(get_other())`,
    },
  ],
  [
    "what classes of PHP keep in fields of their own",
    {
      "State.php": `<?php
class State { public static $current; public static $number; public static $fixed = 'x'; }
class Other { public static $current; }`,
      "index.php": `<?php
require 'State.php';
require 'work.php';
State::$current = $_GET['c'];
State::$number = (int)$_GET['n'];
work();`,
      "work.php": `<?php
function work() {
  system("ls " . State::$current); // told
  system("ls " . State::$number);
  system("ls " . State::$fixed);
  system("ls " . Other::$current);
}`,
    },
  ],
];

it.each(projects)("follows %s", async (_, files) => {
  const sources = Object.entries(files).map(([path, source]) => ({ path, source }));
  const marked = sources.flatMap(({ path, source }) =>
    source.split("\n").flatMap((line, i) => (/(?:\/\/|#) told$/.test(line) ? [`${path}:${i + 1}`] : [])),
  );
  const found = (await findingsOfAll(engine, sources)).filter(({ ruleId }) => /injection|xss/.test(ruleId));
  expect([...new Set(found.map(({ path, startLine }) => `${path}:${startLine}`))].sort()).toEqual(marked.sort());
});
