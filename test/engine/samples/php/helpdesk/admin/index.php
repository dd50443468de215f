<?php
include('../includes/config.php');
include_once "../includes/functions.php";
spl_autoload_register(function ($c) { require_once dirname(__DIR__) . "/classes/$c.php"; });
$u = new User(Database::get());
$u->find($_GET['id']);
$u->safeFind($_GET['id']);
$action = param('action', 'list');
// vuln: file_inclusion
require "views/$action.php";
$allowed = array('list', 'edit');
if (!in_array($action, $allowed)) { $action = 'list'; }
// safe: file_inclusion
require "views/$action.php";
$pages = ['home' => 'home.php', 'about' => 'about.php'];
$p = $_GET['p'];
if (isset($pages[$p])) {
    // safe: file_inclusion
    include $pages[$p];
}
if (array_key_exists($p, $pages)) {
    // safe: file_inclusion
    include 'x/' . $p . '.php';
}
if (preg_match('/^[a-z]+$/', $p)) {
    // safe: file_inclusion
    include 'x/' . $p . '.php';
}
if (preg_match('/[a-z]+/', $p)) {
    // vuln: file_inclusion
    include 'x/' . $p . '.php';
}
$title = $_GET['t'];
include '../views/page.php';
$log = fopen('log.txt', 'a');
// safe: path_traversal
fwrite($log, $_SERVER['HTTP_USER_AGENT']);
// vuln: path_traversal
$fh = fopen('data/' . $_POST['file'], 'w');
// vuln: path_traversal
file_put_contents($_GET['n'], 'x');
// vuln: path_traversal
unlink("cache/" . $_GET['c']);
printf('<a href="%s">', htmlspecialchars($_GET['u']));
// vuln: xss
printf('<a title=%s>', $_GET['u']);
// vuln: xss
exit("<script>location='" . $_GET['to'] . "'</script>");
