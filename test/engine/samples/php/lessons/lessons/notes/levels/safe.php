<?php
// safe: csrf
if (isset($_POST['text'])) {
    check_form($_POST['form_token'], $_SESSION['form_token']);
    $insert = mysqli_prepare($GLOBALS['link'], 'INSERT INTO notes (author, text) VALUES (?, ?)');
    mysqli_stmt_bind_param($insert, 'ss', $_POST['author'], $_POST['text']);
    mysqli_stmt_execute($insert);
}
