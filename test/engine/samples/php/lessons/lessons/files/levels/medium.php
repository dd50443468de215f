<?php
$page_file = str_replace(['../', '..\\'], '', $_GET['page']);
