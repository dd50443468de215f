<?php foreach ($data['cakes'] as $cake): ?>
<p><?= htmlspecialchars($cake->name) ?></p>
<?php endforeach; ?>
<?php // vuln: xss ?>
<input name="term" value="<?= $data['term'] ?>">
<?php // safe: xss ?>
<input name="term" value="<?= htmlspecialchars($data['term']) ?>">
