namespace Shop.Data;

public interface IProductRepository
{
    IEnumerable<Product> ByName(string name);
}

public class ProductRepository(ShopContext context) : IProductRepository
{
    public IEnumerable<Product> ByName(string name)
    {
        // vuln: sql_injection
        return context.Products.FromSqlRaw("SELECT * FROM Products WHERE Name = '" + name + "'").ToList();
    }
}
