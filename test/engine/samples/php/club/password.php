<?php
require_once 'includes/session.php';

// vuln: csrf
if (isset($_GET['Change'])) {
    $new = password_hash($_GET['new'], PASSWORD_DEFAULT);
    $statement = mysqli_prepare($GLOBALS['link'], 'UPDATE members SET password = ? WHERE name = ?');
    $member = current_member();
    mysqli_stmt_bind_param($statement, 'ss', $new, $member);
    mysqli_stmt_execute($statement);
}
