<?php
if (isset($_SESSION['chosen'])) {
    $id = mysqli_real_escape_string($GLOBALS['link'], $_SESSION['chosen']);
    // vuln: sql_injection
    $result = mysqli_query($GLOBALS['link'], "SELECT name FROM people WHERE id = $id LIMIT 1");
    $html .= '<p>' . mysqli_num_rows($result) . '</p>';
}
