<?php
require_once 'config.php';
require_once __DIR__ . '/lib/input.php';
require_once __DIR__ . '/lib/products.php';

$products = new Products($connection);
$category = query_value('category', 'all');
$list = $products->byCategory($category);
$one = $products->byId($_GET['id']);
$found = $products->search($_GET['q'] ?? '');
$sorted = $products->sorted($_GET['sort']);
$cheap = $products->cheaperThan($_POST['limit']);
$named = $products->named($_POST['name']);

$page = $_GET['page'] ?? 'home';
// vuln: file_inclusion
include "pages/$page.php";

if (is_page($page)) {
    // safe: file_inclusion
    include "pages/$page.php";
}
?>
<html>
<body>
<!-- vuln: xss -->
<h1>Products in <?= $category ?></h1>
<!-- safe: xss -->
<h1>Products in <?= html($category) ?></h1>
<!-- safe: xss -->
<p>Page <?php echo query_number('page'); ?></p>
<!-- vuln: xss -->
<form action="<?php echo $_SERVER['PHP_SELF']; ?>" method="post">
<?php foreach ($list as $row): ?>
    <!-- safe: xss -->
    <li><?= $row['name'] ?></li>
<?php endforeach; ?>
</form>
<?php if (!empty($_GET['message'])) : ?>
    <!-- vuln: xss -->
    <div class="message"><?php print "Note: {$_GET['message']}"; ?></div>
    <!-- safe: xss -->
    <div class="message"><?php print 'Note: ' . strip_tags($_GET['message']); ?></div>
<?php endif ?>
</body>
</html>
