<?php
define('ROOT', '');
require_once ROOT . 'lib/page.php';
connect();
// vuln: rate_limit
if (isset($_POST['login'])) {
    check_form($_POST['form_token'], $_SESSION['form_token']);
    $name = mysqli_real_escape_string($GLOBALS['link'], $_POST['name']);
    // safe: sql_injection
    $result = mysqli_query($GLOBALS['link'], "SELECT id, hash FROM members WHERE name = '$name'");
    $member = mysqli_fetch_assoc($result);
    if ($member && password_verify($_POST['password'], $member['hash'])) {
        session_regenerate_id(true);
        $_SESSION['member'] = $member['id'];
    }
}
