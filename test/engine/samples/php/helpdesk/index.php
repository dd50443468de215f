<?php
require_once 'includes/config.php';
require_once('includes/functions.php');
session_start();
$id = $_GET['id'];
// vuln: sql_injection
$res = mysqli_query($con, "SELECT * FROM tickets WHERE id='$id' LIMIT 0,1");
$row = mysqli_fetch_array($res);
if ($row) {
    echo '<font>' . $row['name'];
} else {
    print_r(mysqli_error($con));
}
// vuln: sql_injection
q("SELECT * FROM users WHERE name = '" . param('name') . "'");
show(param('msg'));
show(clean(param('msg')));
// vuln: file_inclusion
include($settings['page'] . '.php');
// vuln: file_inclusion
include TPL_DIR . $GLOBALS['lang'] . '.php';
// safe: file_inclusion
include TPL_DIR . 'header.php';
switch ($_COOKIE['skin']) {
    case 'plain': $file = 'plain.php'; break;
    case 'wide': $file = 'wide.php'; break;
    default: $file = 'standard.php';
}
// safe: file_inclusion
require_once __DIR__ . "/skins/{$file}";
switch ($_GET['greeting']) {
    case 'a': $name = $_GET['name']; break;
    case 'b': $name = str_replace('<script>', '', $_GET['name']); break;
    case 'c': $name = htmlspecialchars($_GET['name']); break;
}
// vuln: xss
echo "<pre>Hello ${name}</pre>";
?>
<html>
<body>
<!-- -->
<?php
// vuln: xss
?><title><?= $_GET['title'] ?></title>
<?php
// vuln: xss
?><b><?=param('b')?></b>
<?php
// safe: xss
?><b><?=htmlentities(param('b'))?></b>
<?php
$in = new Input();
// vuln: xss
echo $in->get('q');
// safe: xss
echo $in->int('q');
// vuln: command_injection
echo shell_exec('ping -c 4 ' . Input::post('ip'));
// vuln: command_injection
$out = `nslookup {$_POST['host']}`;
// safe: command_injection
$out = `uptime`;
$target = str_replace(['&&', ';'], '', $_REQUEST['ip']);
// vuln: command_injection
$cmd = shell_exec("ping -c 4 $target");
