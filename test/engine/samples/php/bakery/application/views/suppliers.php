<?php // vuln: xss ?>
<h1>Suppliers for <?php echo $q; ?></h1>
<?php // safe: xss ?>
<h2><?php echo html_escape($q); ?></h2>
