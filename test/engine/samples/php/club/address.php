<?php
require_once 'includes/session.php';

// safe: csrf
if (isset($_POST['street'])) {
    if (!hash_equals($_SESSION['form_token'], $_POST['form_token'])) {
        die('Please send the form again.');
    }
    $statement = mysqli_prepare($GLOBALS['link'], 'UPDATE members SET street = ? WHERE name = ?');
    $member = current_member();
    mysqli_stmt_bind_param($statement, 'ss', $_POST['street'], $member);
    mysqli_stmt_execute($statement);
}
