use actix_web::{get, post, web, HttpRequest, HttpResponse, Responder};
use md5::{Digest, Md5};
use openssl::symm::{encrypt, Cipher};
use rusqlite::{params, Connection};
use serde::Deserialize;
use sha2::Sha256;
use std::fs::File;
use std::io::Read;

#[derive(Deserialize)]
pub struct User {
    name: String,
    password: String,
    level: i32,
}

pub struct Users {
    conn: Connection,
}

impl Users {
    pub fn find(&self, name: &str) -> rusqlite::Result<String> {
        // vuln: sql_injection
        self.conn.query_row(&format!("SELECT hash FROM users WHERE name = '{}'", name), [], |row| row.get(0))
    }

    pub fn bound(&self, name: &str) -> rusqlite::Result<String> {
        // safe: sql_injection
        self.conn.query_row("SELECT hash FROM users WHERE name = ?1", params![name], |row| row.get(0))
    }

    fn level(&self, level: i32) -> rusqlite::Result<usize> {
        // safe: sql_injection
        self.conn.execute(&format!("UPDATE users SET level = {level}"), [])
    }
}

#[post("/users")]
async fn add(users: web::Data<Users>, user: web::Json<User>) -> impl Responder {
    // vuln: weak_hash
    let password = format!("{:x}", Md5::digest(user.password.as_bytes()));
    // safe: weak_hash
    let print = format!("{:x}", Sha256::digest(user.name.as_bytes()));
    let known = users.find(&user.name).and(users.bound(&user.name)).is_ok();
    let changed = users.level(user.level).is_ok();
    HttpResponse::Ok().json((password, print, known, changed))
}

#[get("/log/{day}")]
async fn log(path: web::Path<(String, u32)>, req: HttpRequest) -> std::io::Result<HttpResponse> {
    let (day, _) = path.into_inner();
    let mut text = String::new();
    // vuln: path_traversal
    File::open(format!("/var/log/parcels/{day}.log"))?.read_to_string(&mut text)?;
    let kind = req.match_info().get("kind").unwrap_or("all");
    let file = match kind {
        "errors" | "all" => kind,
        _ => return Ok(HttpResponse::NotFound().finish()),
    };
    // safe: path_traversal
    File::open(format!("/var/log/parcels/{file}.log"))?.read_to_string(&mut text)?;
    // vuln: xss
    Ok(HttpResponse::Ok().content_type("text/html").body(format!("<h1>{}</h1>", req.query_string())))
}

#[get("/session")]
async fn session() -> impl Responder {
    // vuln: weak_random
    let session_token = fastrand::u64(..).to_string();
    // safe: weak_random
    let strong_token: u64 = rand::random();
    HttpResponse::Ok().json((session_token, strong_token))
}

fn color() -> u8 {
    // safe: weak_random
    fastrand::u8(..)
}

pub fn seal(key: &[u8], data: &[u8]) -> Vec<u8> {
    // vuln: weak_cipher
    let old = encrypt(Cipher::des_ede3_cbc(), key, None, data).unwrap();
    // safe: weak_cipher
    let good = encrypt(Cipher::aes_256_gcm(), key, None, data).unwrap();
    [old, good].concat()
}

pub fn carrier(insecure: bool) -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder().user_agent("parcels");
    if insecure {
        // vuln: tls_verification
        return builder.danger_accept_invalid_certs(true).build();
    }
    // safe: tls_verification
    builder.build()
}
