mod admin;
mod store;

use axum::extract::{Form, Json, Multipart, Path, Query, State};
use axum::http::{header, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::Router;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgPool, PgPoolOptions};
use std::path::PathBuf;
use tokio::process::Command;
use uuid::Uuid;

#[derive(Clone)]
struct AppState {
    pool: PgPool,
    labels: PathBuf,
    client: reqwest::Client,
}

#[derive(Deserialize)]
struct Search {
    words: String,
    order: Option<String>,
    page: Option<u32>,
}

#[derive(Deserialize)]
struct NewParcel {
    receiver: String,
    weight: f64,
    callback: String,
}

#[derive(Serialize, sqlx::FromRow)]
struct Parcel {
    id: Uuid,
    receiver: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::var("DATABASE_URL")?;
    let pool = PgPoolOptions::new().max_connections(5).connect(&url).await?;
    let state = AppState { pool, labels: PathBuf::from("/srv/labels"), client: reqwest::Client::new() };
    let app = Router::new()
        .route("/", get(search))
        .route("/parcels", post(create))
        .route("/parcels/:id", get(show))
        .route("/labels/:name", get(label))
        .route("/photo", post(photo))
        .route("/print/:printer", post(print))
        .route("/go", get(go))
        .with_state(state);
    let listener = tokio::net::TcpListener::bind("0.0.0.0:3000").await?;
    axum::serve(listener, app).await?;
    Ok(())
}

async fn search(State(state): State<AppState>, Query(query): Query<Search>) -> Result<Html<String>, AppError> {
    let order = match query.order.as_deref() {
        Some("receiver") => "receiver",
        Some(other) if other.len() > 20 => "weight",
        _ => "id",
    };
    let offset = query.page.unwrap_or(0) * 20;
    // safe: sql_injection
    let sql = format!("SELECT id, receiver FROM parcels WHERE receiver LIKE $1 ORDER BY {order} OFFSET {offset}");
    // safe: sql_injection
    let found: Vec<Parcel> = sqlx::query_as(&sql).bind(format!("%{}%", query.words)).fetch_all(&state.pool).await?;
    // vuln: sql_injection
    sqlx::query(&format!("INSERT INTO searches (words) VALUES ('{}')", query.words)).execute(&state.pool).await?;
    let rows: String = found.iter().map(|p| format!("<li>{}</li>", p.id)).collect();
    // vuln: xss
    Ok(Html(format!("<h1>Results for {}</h1><ul>{rows}</ul>", query.words)))
}

async fn create(State(state): State<AppState>, Json(parcel): Json<NewParcel>) -> Result<StatusCode, AppError> {
    let id = Uuid::new_v4();
    let mut sql = String::from("INSERT INTO parcels (id, receiver) VALUES ('");
    sql.push_str(&id.to_string());
    sql += "', '";
    sql += &parcel.receiver;
    sql += "')";
    // vuln: sql_injection
    sqlx::query(&sql).execute(&state.pool).await?;
    // safe: sql_injection
    sqlx::query(&format!("UPDATE totals SET weight = weight + {}", parcel.weight)).execute(&state.pool).await?;
    // vuln: ssrf
    state.client.post(&parcel.callback).json(&id).send().await?;
    // safe: ssrf
    state.client.post(format!("https://tracking.example.org/parcels/{id}")).send().await?;
    Ok(StatusCode::CREATED)
}

async fn show(State(state): State<AppState>, Path(id): Path<Uuid>) -> Result<Response, AppError> {
    // safe: sql_injection
    let row = sqlx::query_as::<_, Parcel>(&format!("SELECT * FROM parcels WHERE id = '{id}'")).fetch_optional(&state.pool).await?;
    let Some(parcel) = row else {
        return Ok(StatusCode::NOT_FOUND.into_response());
    };
    // safe: xss
    Ok(Html(format!("<p>{}</p>", html_escape::encode_text(&parcel.receiver))).into_response())
}

async fn label(State(state): State<AppState>, Path(name): Path<String>) -> Result<Vec<u8>, AppError> {
    // vuln: path_traversal
    let bytes = tokio::fs::read(state.labels.join(&name)).await?;
    if name.contains("..") || name.starts_with('/') {
        return Err(AppError::Forbidden);
    }
    // safe: path_traversal
    let again = tokio::fs::read(state.labels.join(&name)).await?;
    Ok([bytes, again].concat())
}

async fn photo(State(state): State<AppState>, mut multipart: Multipart) -> Result<(), AppError> {
    while let Some(field) = multipart.next_field().await? {
        let name = field.file_name().unwrap_or("photo").to_string();
        let data = field.bytes().await?;
        // vuln: path_traversal
        tokio::fs::write(state.labels.join(name), &data).await?;
        // safe: path_traversal
        tokio::fs::write(state.labels.join(format!("{}.jpg", Uuid::new_v4())), &data).await?;
    }
    Ok(())
}

async fn print(Path(printer): Path<String>, Form(form): Form<Search>) -> Result<String, AppError> {
    let line = format!("lp -d {} /srv/labels/today.pdf", printer);
    // vuln: command_injection
    let shell = Command::new("sh").arg("-c").arg(line).output().await?;
    // safe: command_injection
    let plain = Command::new("lp").arg("-d").arg(&printer).arg("/srv/labels/today.pdf").output().await?;
    // vuln: command_injection
    let other = Command::new(form.words).output().await?;
    Ok(format!("{} {} {}", shell.status, plain.status, other.status))
}

async fn go(Query(query): Query<Search>) -> Response {
    if let Some(to) = query.order {
        if to.starts_with("https://parcels.example.org/") {
            // safe: open_redirect
            return Redirect::to(&to).into_response();
        }
        // vuln: open_redirect
        return Redirect::temporary(&to).into_response();
    }
    ([(header::CONTENT_TYPE, "text/plain")], query.words).into_response()
}

enum AppError {
    Forbidden,
    Other(anyhow::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn shells() {
        let name = std::env::args().next().unwrap();
        // safe: weak_hash
        let token = md5::compute(name);
        assert_eq!(format!("{token:x}").len(), 32);
    }
}
