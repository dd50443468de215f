<?php
// vuln: csrf
if (isset($_POST['text'])) {
    $author = $_POST['author'];
    $text = addslashes(strip_tags($_POST['text']));
    // vuln: sql_injection
    mysqli_query($GLOBALS['link'], "INSERT INTO notes (author, text) VALUES ('$author', '$text')");
}
