<html><head>
<?php
// vuln: xss
?><title><? echo $title; ?></title>
<?php
// safe: xss
?><title><?php echo htmlspecialchars($title); ?></title>
<?php foreach ($_POST['rows'] as $k => $r): 
// vuln: xss
?><td><?= $r ?></td>
<?php endforeach; ?>
<?php if ($title): 
// vuln: xss
?>  <h1><?php echo($title) ?></h1>
<?php endif; ?>
