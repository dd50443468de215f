namespace Shop.Services
{
    public interface IProductService
    {
        IEnumerable<Product> Find(string q);
    }

    public class ProductService : IProductService
    {
        private readonly IProductRepository _repository;

        public ProductService(IProductRepository repository) => _repository = repository;

        public IEnumerable<Product> Find(string q)
        {
            return _repository.ByName(q.Trim());
        }
    }
}
