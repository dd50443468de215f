<?php
define('ROOT', '../../');
require_once ROOT . 'lib/page.php';
page_start(['member']);
if (isset($_POST['id'])) {
    $_SESSION['chosen'] = $_POST['id'];
}
