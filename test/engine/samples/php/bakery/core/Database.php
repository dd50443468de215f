<?php

class Database
{
    private PDO $handle;
    private PDOStatement $statement;

    public function __construct()
    {
        $this->handle = new PDO(DSN, USER, PASSWORD);
    }

    public function query(string $sql): void
    {
        // safe: sql_injection
        $this->statement = $this->handle->prepare($sql);
    }

    public function bind(string $name, mixed $value): void
    {
        $this->statement->bindValue($name, $value);
    }

    public function all(): array
    {
        $this->statement->execute();
        return $this->statement->fetchAll(PDO::FETCH_OBJ);
    }
}
