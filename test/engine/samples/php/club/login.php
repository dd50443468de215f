<?php
session_start();
require_once 'includes/settings.php';

if (isset($_POST['Login'])) {
    $name = mysqli_real_escape_string($GLOBALS['link'], $_POST['name']);
    // vuln: weak_hash
    $password = md5($_POST['password']);
    // safe: sql_injection
    $result = mysqli_query($GLOBALS['link'], "SELECT * FROM members WHERE name = '$name' AND password = '$password'");
    if ($result && mysqli_num_rows($result) === 1) {
        $_SESSION['member'] = $name;
        // vuln: insecure_cookie
        setcookie('session_id', sha1($name));
        // safe: open_redirect
        header('Location: index.php');
        exit;
    }
}
?>
<!-- safe: xss -->
<form action="<?php echo htmlspecialchars($_SERVER['PHP_SELF']); ?>" method="post"></form>
