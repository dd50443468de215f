<?php
define('DB_HOST', 'localhost');
define('TPL_DIR', dirname(__FILE__) . '/../views/');
$dbuser = 'root';
// vuln: hardcoded_secret
$dbpass = 'Tr0ub4dor&3xq';
$dbname = 'helpdesk';
$con = mysqli_connect(DB_HOST, $dbuser, $dbpass, $dbname);
// vuln: xss
if (!$con) die('no db ' . $_SERVER['PHP_SELF']);
$GLOBALS['lang'] = isset($_GET['lang']) ? $_GET['lang'] : 'en';
$settings['page'] = @$_REQUEST['page'];
