<?php
if (isset($_GET['id']) && is_numeric($_GET['id'])) {
    $id = intval($_GET['id']);
    // safe: sql_injection
    $result = mysqli_query($GLOBALS['link'], "SELECT name FROM people WHERE id = $id LIMIT 1");
    $html .= '<p>' . mysqli_num_rows($result) . '</p>';
}
