<?php
require_once 'includes/session.php';

$html = '';
switch ($_GET['tool'] ?? '') {
    case 'ping':
        $host = str_replace(array('&&', ';'), '', $_GET['host']);
        // vuln: command_injection
        $html .= '<pre>' . shell_exec('ping -c 4 ' . $host) . '</pre>';
        break;
    case 'address':
        $parts = explode('.', $_GET['address']);
        if (is_numeric($parts[0]) && is_numeric($parts[1]) && is_numeric($parts[2]) && is_numeric($parts[3])) {
            // safe: command_injection
            $html .= shell_exec('ping -c 4 ' . $parts[0] . '.' . $parts[1] . '.' . $parts[2] . '.' . $parts[3]);
        }
        break;
    case 'weather':
        $curl = curl_init();
        // vuln: ssrf
        curl_setopt_array($curl, [CURLOPT_URL => $_GET['station'], CURLOPT_RETURNTRANSFER => true]);
        $html .= escape(curl_exec($curl));
        break;
    case 'help':
        $page = str_replace(array('../', '..\\'), '', $_GET['page']);
        // vuln: file_inclusion
        include 'help/' . $page;
        break;
    case 'faq':
        if (!in_array($_GET['page'], ['courts.php', 'fees.php'], true)) {
            die('There is no such page.');
        }
        // safe: file_inclusion
        include $_GET['page'];
        break;
    default:
        $html .= "<p>There is no tool called {$_GET['tool']}.</p>";
}
// vuln: xss
echo $html;
?>
<!-- safe: xss -->
<h1><?= escape($_GET['tool']) ?></h1>
<!-- vuln: xss -->
<script>const tool = "<?php echo addslashes($_GET['tool']); ?>";</script>
