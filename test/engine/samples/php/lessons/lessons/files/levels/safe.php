<?php
$page_file = $_GET['page'];
if ($page_file != 'first.php' && $page_file != 'second.php') {
    exit('No such page.');
}
