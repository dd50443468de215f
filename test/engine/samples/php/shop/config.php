<?php

const PAGES = ['home', 'products', 'contact'];
const SORTABLE = ['name', 'price', 'created'];

define('UPLOAD_FOLDER', '/srv/shop/uploads');

$connection = mysqli_connect('localhost', 'shop', getenv('SHOP_DB_PASSWORD'), 'shop');
