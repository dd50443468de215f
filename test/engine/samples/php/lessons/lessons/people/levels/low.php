<?php
if (isset($_GET['id'])) {
    $id = $_GET['id'];
    $query = "SELECT name FROM people WHERE id = '$id'";
    // vuln: sql_injection
    $result = mysqli_query($GLOBALS['link'], $query) or die('<p>No.</p>');
    $html .= '<p>' . mysqli_num_rows($result) . '</p>';
}
