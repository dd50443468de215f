<?php
include 'includes/config.php';
if (isset($_POST['login'])) {
    $user = $_POST['user'];
    // vuln: weak_hash
    $pass = md5($_POST['pass']);
    $query = <<<SQL
SELECT * FROM users WHERE user = '$user' AND password = '$pass'
SQL;
    // vuln: sql_injection
    $result = $con->query($query);
    if ($result && $result->num_rows == 1) {
        $token = rand(1000, 9999);
        $_SESSION['user'] = $user;
        // vuln: insecure_cookie
        setcookie('auth', $token);
        // vuln: open_redirect
        header('Location: ' . $_GET['next']);
        exit;
    }
}
$u = mysqli_real_escape_string($con, $_POST['u']);
// safe: sql_injection
mysqli_query($con, "SELECT 1 FROM users WHERE u = '$u'");
$n = mysqli_real_escape_string($con, $_POST['n']);
// vuln: sql_injection
mysqli_query($con, "SELECT 1 FROM users WHERE n = $n");
$stmt = $con->prepare('SELECT * FROM users WHERE id = ?');
// safe: sql_injection
$stmt->bind_param('s', $_POST['id']);
$stmt->execute();
// vuln: sql_injection
$r = mysql_query("SELECT id FROM t WHERE x=" . $_POST['x']) or die('bad');
extract($_POST);
// vuln: sql_injection
mysqli_query($con, "UPDATE users SET email='$email' WHERE id=1");
parse_str($_SERVER['QUERY_STRING'], $args);
// vuln: sql_injection
mysqli_query($con, "UPDATE users SET email='{$args['email']}' WHERE id=1");
// vuln: sql_injection
$sql = sprintf("SELECT * FROM p WHERE c='%s'", $_GET['c']); mysqli_query($con, $sql);
// safe: sql_injection
$sql = sprintf("SELECT * FROM p WHERE c=%d", $_GET['c']); mysqli_query($con, $sql);
$ids = implode(',', array_map('intval', $_POST['ids']));
// safe: sql_injection
mysqli_query($con, "DELETE FROM p WHERE id IN ($ids)");
$sort = in_array($_GET['sort'], ['name', 'date'], true) ? $_GET['sort'] : 'name';
// safe: sql_injection
mysqli_query($con, "SELECT * FROM p ORDER BY $sort");
$where = array();
foreach ($_GET as $k => $v) {
    $where[] = "$k = '$v'";
}
// vuln: sql_injection
mysqli_query($con, 'SELECT * FROM p WHERE ' . join(' AND ', $where));
