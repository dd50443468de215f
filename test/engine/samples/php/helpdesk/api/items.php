<?php
header('Content-Type: application/json');
require_once '../includes/config.php';
// safe: xss
echo json_encode(['q' => $_GET['q']]);
$data = json_decode(file_get_contents('php://input'), true);
// vuln: sql_injection
$con->query("INSERT INTO items VALUES ('" . $data['name'] . "')");
$obj = json_decode(file_get_contents('php://input'));
// vuln: sql_injection
$con->query("INSERT INTO items VALUES ('$obj->name')");
list($a, $b) = explode('/', $_SERVER['PATH_INFO']);
// vuln: sql_injection
$con->query("SELECT $b FROM t");
$m = $_SERVER['REQUEST_METHOD'];
// safe: sql_injection
$con->query("INSERT INTO log VALUES ('$m')");
$d = filter_input(INPUT_GET, 'd', FILTER_VALIDATE_INT);
// safe: sql_injection
$con->query("SELECT * FROM t WHERE d = $d");
$e = filter_var($_GET['e'], FILTER_SANITIZE_NUMBER_INT);
// safe: sql_injection
$con->query("SELECT * FROM t WHERE d = $e");
$f = filter_input(INPUT_POST, 'f');
// vuln: sql_injection
$con->query("SELECT * FROM t WHERE d = '$f'");
$g = $_GET['g'] + 0;
// safe: sql_injection
$con->query("SELECT * FROM t WHERE d = $g");
if (!is_numeric($_GET['h'])) { die(); }
// safe: sql_injection
$con->query("SELECT * FROM t WHERE d = {$_GET['h']}");
if (!ctype_digit($_GET['i'])) exit;
// safe: sql_injection
$con->query("SELECT * FROM t WHERE d = " . $_GET['i']);
// vuln: permissive_cors
header('Access-Control-Allow-Origin: ' . $_SERVER['HTTP_ORIGIN']);
