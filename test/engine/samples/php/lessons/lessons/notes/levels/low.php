<?php
// vuln: csrf
if (isset($_POST['text'])) {
    $author = mysqli_real_escape_string($GLOBALS['link'], $_POST['author']);
    $text = mysqli_real_escape_string($GLOBALS['link'], $_POST['text']);
    // safe: sql_injection
    mysqli_query($GLOBALS['link'], "INSERT INTO notes (author, text) VALUES ('$author', '$text')");
}
