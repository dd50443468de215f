<?php
$page_file = $_GET['page'];
