<?php
$_CLUB = array();
$_CLUB['db_server'] = '127.0.0.1';
// vuln: hardcoded_secret
$_CLUB['db_password'] = 'q8Zr!tennis42';
$GLOBALS['link'] = mysqli_connect($_CLUB['db_server'], 'club', $_CLUB['db_password'], 'club');
