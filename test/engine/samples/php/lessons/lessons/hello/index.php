<?php
define('ROOT', '../../');
require_once ROOT . 'lib/page.php';
page_start(['member']);
connect();
$page = ['title' => 'Lesson', 'body' => ''];
$html = '';
switch (level()) {
    case 'low':
        $file = 'low.php';
        break;
    case 'medium':
        $file = 'medium.php';
        break;
    default:
        $file = 'safe.php';
}
require_once ROOT . "lessons/hello/levels/{$file}";
$page["body"] .= "<div>{$html}</div>";
page_show($page);
