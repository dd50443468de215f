package ticketing

import io.ktor.http.ContentType
import io.ktor.http.HttpStatusCode
import io.ktor.http.content.PartData
import io.ktor.http.content.forEachPart
import io.ktor.http.content.streamProvider
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.call
import io.ktor.server.html.respondHtml
import io.ktor.server.request.receive
import io.ktor.server.request.receiveMultipart
import io.ktor.server.request.receiveParameters
import io.ktor.server.response.respond
import io.ktor.server.response.respondFile
import io.ktor.server.response.respondRedirect
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import io.ktor.server.routing.route
import io.ktor.server.routing.routing
import java.io.File
import java.util.UUID
import javax.sql.DataSource
import kotlinx.html.body
import kotlinx.html.h1
import kotlinx.html.unsafe
import org.jetbrains.exposed.sql.Database
import org.jetbrains.exposed.sql.selectAll
import org.jetbrains.exposed.sql.transactions.transaction

data class TicketForm(val title: String, val body: String, val priority: Int)

fun Application.tickets(source: DataSource, uploads: File) {
    val store = TicketStore(source)
    routing {
        route("/tickets") {
            search(store)
            attachments(uploads)
            post {
                val form = call.receive<TicketForm>()
                store.add(form)
                store.rename(form.title)
                call.respondRedirect("/tickets")
            }
            post("/close") {
                val id = call.receiveParameters()["id"] ?: return@post call.respond(HttpStatusCode.BadRequest)
                store.close(UUID.fromString(id).toString())
                call.respond(HttpStatusCode.NoContent)
            }
        }
        get("/leave") {
            val to = call.request.queryParameters["to"]
            if (to != null) {
                // vuln: open_redirect
                call.respondRedirect(to, permanent = false)
            } else {
                // safe: open_redirect
                call.respondRedirect("/")
            }
        }
    }
}

private fun Route.search(store: TicketStore) {
    get {
        val words = call.request.queryParameters["q"].orEmpty()
        val found = store.find(words, call.request.queryParameters["sort"])
        // vuln: xss
        call.respondText(contentType = ContentType.Text.Html, text = "<h1>Results for $words</h1>" + found.size)
    }
    get("/count") {
        val state = call.request.queryParameters["state"]?.let { State.valueOf(it) } ?: State.OPEN
        call.respondText(store.count(state).toString())
    }
    get("/page") {
        val title = call.parameters["title"] ?: "Tickets"
        call.respondHtml {
            body {
                // safe: xss
                h1 { +title }
                // vuln: xss
                unsafe { raw("<p>$title</p>") }
            }
        }
    }
}

private fun Route.attachments(uploads: File) {
    get("/attachment/{file}") {
        val file = call.parameters["file"] ?: return@get
        // vuln: path_traversal
        call.respondFile(File(uploads, file))
    }
    get("/thumbnail/{id}") {
        val id = call.parameters["id"]?.toIntOrNull() ?: return@get
        // safe: path_traversal
        call.respondFile(File(uploads, "$id.png"))
    }
    get("/manual/{page}") {
        val page = call.parameters["page"]!!
        if (!page.matches(Regex("^[a-z0-9-]+$"))) {
            call.respond(HttpStatusCode.NotFound)
            return@get
        }
        // safe: path_traversal
        call.respondText(File("/srv/manual/$page.txt").readText())
    }
    post("/attachment") {
        call.receiveMultipart().forEachPart { part ->
            if (part is PartData.FileItem) {
                // vuln: path_traversal
                File(uploads, part.originalFileName!!).outputStream().use { out -> part.streamProvider().copyTo(out) }
                // safe: path_traversal
                val kept = File(uploads, part.originalFileName!!.substringAfterLast("/"))
                kept.setReadable(true)
            }
            part.dispose()
        }
    }
}

enum class State { OPEN, CLOSED }

class TicketStore(private val source: DataSource) {
    fun find(words: String, sort: String?): List<String> {
        val order = if (sort in setOf("title", "created")) sort else "id"
        source.connection.use { connection ->
            // safe: sql_injection
            val statement = connection.prepareStatement("SELECT title FROM tickets WHERE title LIKE ? ORDER BY $order")
            statement.setString(1, "%$words%")
            val rows = statement.executeQuery()
            // vuln: sql_injection
            connection.createStatement().executeUpdate("INSERT INTO searches (words) VALUES ('" + words + "')")
            return buildList { while (rows.next()) add(rows.getString(1)) }
        }
    }

    fun count(state: State): Int = source.connection.use {
        // safe: sql_injection
        val rows = it.createStatement().executeQuery("SELECT count(*) FROM tickets WHERE state = '${state.name}'")
        rows.next()
        rows.getInt(1)
    }

    fun add(form: TicketForm) {
        Database.connect(source)
        transaction {
            // vuln: sql_injection
            exec("INSERT INTO tickets (title, priority) VALUES ('${form.title}', 1)")
            // safe: sql_injection
            exec("UPDATE totals SET priority = priority + ${form.priority}")
        }
    }

    fun rename(title: String) {
        val sql = StringBuilder("UPDATE tickets SET title = '")
        sql.append(title).append("' WHERE id = 1")
        source.connection.createStatement().apply {
            // vuln: sql_injection
            execute(sql.toString())
            close()
        }
    }

    fun close(id: String) {
        // safe: sql_injection
        source.connection.createStatement().execute("UPDATE tickets SET state = 'CLOSED' WHERE id = '$id'")
    }
}

suspend fun ApplicationCall.fail(message: String) = respondText(message, status = HttpStatusCode.InternalServerError)
