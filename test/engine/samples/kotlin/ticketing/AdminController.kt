package ticketing

import java.net.URI
import java.security.MessageDigest
import java.security.SecureRandom
import javax.crypto.Cipher
import javax.servlet.http.Cookie
import javax.servlet.http.HttpServletRequest
import javax.servlet.http.HttpServletResponse
import javax.xml.parsers.DocumentBuilderFactory
import kotlin.random.Random
import org.slf4j.LoggerFactory
import org.springframework.expression.spel.standard.SpelExpressionParser
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.stereotype.Controller
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.RequestHeader
import org.springframework.web.bind.annotation.RequestMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.ResponseBody
import org.springframework.web.client.RestTemplate

data class Webhook(val url: String, val retries: Int)

@Controller
@RequestMapping("/admin")
class AdminController(
    private val jdbc: JdbcTemplate,
    private val rest: RestTemplate,
) {
    companion object {
        private val log = LoggerFactory.getLogger(AdminController::class.java)
        private const val HOOKS = "https://hooks.example.org/"
    }

    @GetMapping("/users")
    @ResponseBody
    fun users(@RequestParam role: String, @RequestParam(defaultValue = "20") limit: Int): List<Map<String, Any>> {
        // vuln: sql_injection
        val named = jdbc.queryForList("select * from users where role = '%s'".format(role))
        // safe: sql_injection
        val some = jdbc.queryForList("select * from users where role = ? limit $limit", role)
        return named + some
    }

    @PostMapping("/hook")
    @ResponseBody
    fun hook(@RequestBody hook: Webhook): String? {
        // vuln: ssrf
        val answer = rest.getForObject(hook.url, String::class.java)
        // safe: ssrf
        rest.getForObject(HOOKS + hook.retries, String::class.java)
        return answer
    }

    @PostMapping("/probe")
    @ResponseBody
    fun probe(@RequestParam target: String): Int {
        val connection = try {
            // vuln: ssrf
            URI(target).toURL().openConnection()
        } catch (e: IllegalArgumentException) {
            return 0
        }
        return connection.contentLength
    }

    @GetMapping("/next")
    fun next(@RequestParam step: String): String = when (step) {
        // safe: open_redirect
        "users", "hooks" -> "redirect:$step"
        // vuln: open_redirect
        else -> "redirect:" + step
    }

    @PostMapping("/backup")
    @ResponseBody
    fun backup(@RequestParam name: String, request: HttpServletRequest): String {
        // vuln: command_injection
        val process = ProcessBuilder("/bin/sh", "-c", "tar czf /backup/$name.tgz /srv").start()
        // safe: command_injection
        ProcessBuilder(listOf("tar", "czf", "/backup/daily.tgz", "/srv")).start()
        // vuln: log_injection
        log.info("backup $name asked for")
        // safe: log_injection
        log.info("backup of {} done", name.length)
        return process.inputStream.bufferedReader().readText().length.toString()
    }

    @PostMapping("/rule")
    @ResponseBody
    fun rule(@RequestParam expression: String): Boolean =
        // vuln: code_injection
        SpelExpressionParser().parseExpression(expression).getValue(Boolean::class.java) ?: false

    @GetMapping("/session")
    fun session(response: HttpServletResponse, @RequestHeader("User-Agent") agent: String): String {
        // vuln: weak_random
        val token = (1..32).map { Random.nextInt(0, 16).toString(16) }.joinToString("")
        val bytes = ByteArray(32)
        // safe: weak_random
        SecureRandom().nextBytes(bytes)
        // vuln: weak_hash
        val print = MessageDigest.getInstance("SHA1").digest(agent.toByteArray())
        // safe: weak_hash
        val strong = MessageDigest.getInstance("SHA-256").digest(bytes)
        response.addCookie(
            Cookie("session", token).apply {
                // vuln: insecure_cookie
                secure = false
                // safe: insecure_cookie
                isHttpOnly = true
            },
        )
        log.debug("{} {}", print.size, strong.size)
        return "admin"
    }

    fun seal(data: ByteArray): List<ByteArray> {
        // vuln: weak_cipher
        val old = Cipher.getInstance("DESede/ECB/PKCS5Padding").doFinal(data)
        // safe: weak_cipher
        val good = Cipher.getInstance("AES/GCM/NoPadding").doFinal(data)
        return listOf(old, good)
    }

    @PostMapping("/import")
    @ResponseBody
    fun import(request: HttpServletRequest): Int {
        val factory = DocumentBuilderFactory.newInstance()
        // vuln: xxe
        val open = factory.newDocumentBuilder().parse(request.inputStream)
        val closed = DocumentBuilderFactory.newInstance().also {
            it.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true)
        }
        // safe: xxe
        val safe = closed.newDocumentBuilder().parse(request.inputStream)
        return open.childNodes.length + safe.childNodes.length
    }
}
